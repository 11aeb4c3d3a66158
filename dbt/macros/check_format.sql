{#- Rejects a table that `refresh` would reject in the second run. -#}
{% macro check_format() -%}
  {%- set file_format = config.get('file_format') -%}
  {%- set is_partitioned = config.get('partition_by') and not config.get('clustered_by') -%}
  {%- if file_format not in ['delta', 'iceberg']
      and not (file_format in ['parquet', 'orc'] and is_partitioned) -%}
    {%- do exceptions.raise_compiler_error(
      "muntin_windows requires file_format delta or iceberg, or parquet or orc with partition_by "
      ~ "and without clustered_by. The file_format of this model is " ~ file_format ~ "."
    ) -%}
  {%- endif -%}
{%- endmacro %}
