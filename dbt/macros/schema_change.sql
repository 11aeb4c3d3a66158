{#- Returns whether `on_schema_change` requires a new table: all results have the new columns. -#}
{% macro must_be_created(query, existing_relation) -%}
  {%- set on_schema_change =
    incremental_validate_on_schema_change(config.get('on_schema_change'), default='ignore') -%}
  {%- if on_schema_change == 'fail' -%}
    {%- do process_schema_changes('fail', query, existing_relation) -%}
  {%- endif -%}
  {%- if on_schema_change in ['ignore', 'fail'] -%}
    {{ return(false) }}
  {%- endif -%}

  {%- set differences = check_for_schema_changes(query, existing_relation) -%}
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


{#- Returns the view of the query, without the columns that the table does not have. -#}
{% macro with_columns_of(existing_relation, query, sql) -%}
  {%- set differences = check_for_schema_changes(query, existing_relation) -%}
  {%- if not differences['source_not_in_target'] -%}
    {{ return(query) }}
  {%- endif -%}
  {%- set columns = differences['target_columns'] | map(attribute='quoted') | join(', ') -%}
  {{ return(muntin.temporary_view('select ' ~ columns ~ ' from (\n' ~ sql ~ '\n)', 'query')) }}
{%- endmacro %}
