{#- Returns the differences between the columns of the query and the columns of its table. -#}
{% macro schema_differences(existing_relation, sql) -%}
  {%- set on_schema_change =
    incremental_validate_on_schema_change(config.get('on_schema_change'), default='ignore') -%}
  {#- Threads of dbt share a session, so the name of the view contains the schema. -#}
  {%- set name = ['muntin', this.schema, this.identifier] | join('__') -%}
  {%- set query = api.Relation.create(identifier=name, type='view')
    .include(database=false, schema=false).quote(identifier=true) -%}
  {%- call statement('create_view') -%}
    {{ create_temporary_view(query, sql) }}
  {%- endcall -%}
  {%- if on_schema_change == 'fail' -%}
    {%- do process_schema_changes('fail', query, existing_relation) -%}
  {%- endif -%}
  {%- set differences = check_for_schema_changes(query, existing_relation) -%}
  {%- call statement('drop_view') -%}
    drop view {{ query }}
  {%- endcall -%}
  {%- do differences.update({'on_schema_change': on_schema_change}) -%}
  {{ return(differences) }}
{%- endmacro %}


{#- Returns whether `on_schema_change` requires a new table: all results have the new columns. -#}
{% macro must_be_created(existing_relation, differences) -%}
  {%- set on_schema_change = differences['on_schema_change'] -%}
  {%- if on_schema_change not in ['append_new_columns', 'sync_all_columns'] -%}
    {{ return(false) }}
  {%- endif -%}
  {%- set removed = differences['target_not_in_source'] -%}
  {%- if on_schema_change == 'append_new_columns' and removed -%}
    {%- do exceptions.raise_compiler_error(
      "The query of " ~ existing_relation ~ " does not have the column "
      ~ removed[0].name ~ " of its table. A table of windows has the columns of its query. "
      ~ "Set on_schema_change to sync_all_columns, or run with --full-refresh."
    ) -%}
  {%- endif -%}
  {{ return(differences['schema_changed']) }}
{%- endmacro %}


{#- Returns the query without the columns that the table does not have. -#}
{% macro with_columns_of_table(sql, differences) -%}
  {%- if not differences['source_not_in_target'] -%}
    {{ return(sql) }}
  {%- endif -%}
  {%- set columns = differences['target_columns'] | map(attribute='quoted') | join(', ') -%}
  {{ return('select ' ~ columns ~ ' from (\n' ~ sql ~ '\n)') }}
{%- endmacro %}
