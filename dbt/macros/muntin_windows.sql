{#- A table of windows that Muntin's `refresh` keeps up to date. -#}
{% materialization muntin_windows, adapter='spark' -%}
  {%- do muntin.check_format() -%}
  {%- set target_relation = this.incorporate(type='table') -%}
  {%- set existing_relation = load_relation(this) -%}

  {{ run_hooks(pre_hooks) }}

  {%- if existing_relation is none or existing_relation.is_view or should_full_refresh() -%}
    {%- do muntin.create(existing_relation, target_relation, sql) -%}
  {%- else -%}
    {%- set differences = muntin.schema_differences(existing_relation, sql) -%}
    {%- if muntin.must_be_created(existing_relation, differences) -%}
      {%- do muntin.create(existing_relation, target_relation, sql) -%}
    {%- else -%}
      {%- set query = muntin.with_columns_of_table(sql, differences) -%}
      {%- do muntin.refresh(
        'main', target_relation, query, muntin.changes(), full=muntin.option('full')
      ) -%}
    {%- endif -%}
  {%- endif -%}

  {%- do apply_grants(
    target_relation,
    config.get('grants'),
    should_revoke(existing_relation, full_refresh_mode=should_full_refresh())
  ) -%}
  {%- do persist_docs(target_relation, model) -%}

  {{ run_hooks(post_hooks) }}

  {{ return({'relations': [target_relation]}) }}
{%- endmaterialization %}
