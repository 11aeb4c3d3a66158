{#- Creates the table with all results. -#}
{% macro create(existing_relation, target_relation, sql) -%}
  {%- set file_format = config.get('file_format') -%}
  {#- dbt-spark creates or replaces tables of Delta and Iceberg. -#}
  {%- set is_replaced = existing_relation is not none and (
    (existing_relation.is_delta and file_format == 'delta')
    or (existing_relation.is_iceberg and file_format == 'iceberg')
  ) -%}
  {%- if existing_relation is not none and not is_replaced -%}
    {%- do adapter.drop_relation(existing_relation) -%}
  {%- endif -%}

  {#- A refresh stores the position of the sources, which CREATE TABLE AS does not. -#}
  {%- set is_filled = muntin.option('changes') -%}
  {%- call statement('main') -%}
    {{ create_table_as(False, target_relation, sql if is_filled else muntin.without_rows(sql)) }}
  {%- endcall -%}
  {%- do persist_constraints(target_relation, model) -%}
  {%- if is_filled -%}
    {%- do muntin.check_query(target_relation, sql) -%}
  {%- else -%}
    {%- set query = muntin.temporary_view(sql, 'query') -%}
    {%- do muntin.refresh('main', target_relation, query, none, full=true) -%}
  {%- endif -%}
{%- endmacro %}


{#- Fails in the first run if the second run could not refresh the table. -#}
{% macro check_query(target_relation, sql) -%}
  {%- set query = muntin.temporary_view(sql, 'query') -%}
  {%- set none_changed = muntin.without_rows(render(muntin.option('changes'))) -%}
  {%- set changes = muntin.temporary_view(none_changed, 'changes') -%}
  {%- do muntin.refresh('check_query', target_relation, query, changes, dry_run=true) -%}
{%- endmacro %}


{% macro without_rows(sql) -%}
select * from (
{{ sql }}
) where false
{%- endmacro %}
