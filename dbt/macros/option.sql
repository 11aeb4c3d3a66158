{#- Returns a setting of the model, from its config or from the config's `meta`. -#}
{% macro option(name) -%}
  {{ return(config.get(name) or config.get('meta', {}).get(name)) }}
{%- endmacro %}
