{#- Returns a setting of the model, from its config or from the config's `meta`. -#}
{% macro option(name) -%}
  {{ return(config.get(name) or config.get('meta', {}).get(name)) }}
{%- endmacro %}


{#- Returns the query of the changed rows; none if Muntin finds them. -#}
{% macro changes() -%}
  {%- set changes = muntin.option('changes') -%}
  {{ return(render(changes) if changes else none) }}
{%- endmacro %}
