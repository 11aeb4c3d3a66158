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
  {%- set changes = muntin.changes() -%}
  {%- call statement('main') -%}
    {{ create_table_as(False, target_relation, sql if changes else muntin.without_rows(sql)) }}
  {%- endcall -%}
  {%- do persist_constraints(target_relation, model) -%}
  {%- if changes -%}
    {#- Fails in the first run if the second run could not refresh the table. -#}
    {%- do muntin.refresh(
      'check_query', target_relation, sql, muntin.without_rows(changes), full=false, dry_run=true
    ) -%}
  {%- else -%}
    {%- do muntin.refresh('main', target_relation, sql, none, full=true) -%}
  {%- endif -%}
{%- endmacro %}


{% macro without_rows(sql) -%}
select * from (
{{ sql }}
) where false
{%- endmacro %}
