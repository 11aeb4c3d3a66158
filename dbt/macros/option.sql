{#- Returns a setting of the model, from its config or from the config's `meta`. -#}
{% macro option(name) -%}
  {%- set value = config.get(name) -%}
  {{ return(config.get('meta', {}).get(name) if value is none else value) }}
{%- endmacro %}


{#- Returns the query of the changed rows; none if Muntin finds them. -#}
{% macro changes() -%}
  {%- set changes = muntin.option('changes') -%}
  {{ return(render(changes) if changes else none) }}
{%- endmacro %}
