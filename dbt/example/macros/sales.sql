{#- What loads the source, in place of a pipeline: dbt run-operation first_sales. -#}
{% macro first_sales() -%}
  {%- set sales = target.schema ~ '.sales' -%}
  {%- do run_query('create schema if not exists ' ~ target.schema) -%}
  {%- do run_query('drop table if exists ' ~ sales) -%}
  {%- do run_query('create table ' ~ sales ~ ' (shop string, day date, x double) using parquet') -%}
  {%- do run_query(
    'insert into ' ~ sales ~ " select shop, date(day), x from values
      ('north', '2026-01-01', 1), ('north', '2026-01-02', 2), ('north', '2026-01-09', 4)
      as sales(shop, day, x)
    union all
    select 'south', date'2026-01-01' + int(id), 1 from range(30) as days(id)"
  ) -%}
{%- endmacro %}


{% macro late_sale() -%}
  {%- do run_query(
    'insert into ' ~ target.schema ~ ".sales values ('north', date'2026-01-03', 8)"
  ) -%}
{%- endmacro %}
