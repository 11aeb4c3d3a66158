{#- Creates a temporary view for the model and returns its relation. Threads of dbt share a session,
    so the name contains the schema. -#}
{% macro temporary_view(sql, kind) -%}
  {%- set name = ['muntin', this.schema, this.identifier, kind] | join('__') -%}
  {%- set view = api.Relation.create(identifier=name, type='view')
    .include(database=false, schema=false).quote(identifier=true) -%}
  {%- call statement('create_' ~ kind) -%}
    {{ create_temporary_view(view, sql) }}
  {%- endcall -%}
  {{ return(view) }}
{%- endmacro %}
