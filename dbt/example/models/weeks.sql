{{ config(materialized='muntin_windows', file_format='parquet', partition_by='day', full=false) }}

select shop, x,
    sum(x) over (partition by shop order by day range 6 preceding) as week,
    day
from {{ source('till', 'sales') }}
