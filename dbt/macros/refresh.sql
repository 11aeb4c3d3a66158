{#- Runs `refresh`, whose SELECT does nothing before dbt fetches its row. -#}
{% macro refresh(statement_name, target_relation, sql, changes, full=none, dry_run=false) -%}
  {%- set source = muntin.option('changed_source') -%}
  {%- call statement(statement_name, fetch_result=true) -%}
    select * from `muntin.refresh`(
      query => table(
{{ sql }}
      ),
      target => '{{ target_relation }}'
      {%- if changes %},
      changes => table(
{{ changes }}
      )
      {%- endif %}
      {%- if source %},
      source => '{{ render(source) }}'
      {%- endif %}
      {%- if full is not none %},
      full => {{ full }}
      {%- endif %}
      {%- if dry_run %},
      dry_run => true
      {%- endif %}
    )
  {%- endcall -%}
  {%- set done = load_result(statement_name).table -%}
  {%- if not dry_run -%}
    {%- set counts = [] -%}
    {%- for name in done.column_names if name != 'reason' -%}
      {%- do counts.append(name ~ ' ' ~ done.rows[0][name]) -%}
    {%- endfor -%}
    {%- set reason = done.rows[0]['reason'] -%}
    {%- set why = ' (' ~ reason ~ ')' if reason else '' -%}
    {%- do log('refresh of ' ~ target_relation ~ ': ' ~ counts | join(', ') ~ why, info=true) -%}
  {%- endif -%}
{%- endmacro %}
