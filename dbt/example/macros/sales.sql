{#- What loads the source, in place of a pipeline: dbt run-operation first_sales. -#}
{% macro first_sales() -%}
  {%- do run_query('create schema if not exists ' ~ target.schema) -%}
  {%- do run_query('drop table if exists ' ~ target.schema ~ '.sales') -%}
  {%- do run_query(
    'create table ' ~ target.schema ~ '.sales '
    ~ '(shop string, day date, x double, loaded_at timestamp) using parquet'
  ) -%}
  {%- do run_query(
    'insert into ' ~ target.schema ~ ".sales
    select shop, day, x, day + interval 26 hours from values
      ('north', date'2026-01-01', 1), ('north', date'2026-01-02', 2),
      ('north', date'2026-01-09', 4) as sales(shop, day, x)
    union all
    select 'south', date'2026-01-01' + int(id), 1, date'2026-01-01' + int(id) + interval 26 hours
    from range(30) as days(id)"
  ) -%}
{%- endmacro %}


{% macro late_sale() -%}
  {%- do run_query(
    'insert into ' ~ target.schema ~ ".sales
    values ('north', date'2026-01-03', 8, timestamp'2026-02-01 02:00:00')"
  ) -%}
{%- endmacro %}
