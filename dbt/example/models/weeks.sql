{{ config(materialized='muntin_windows', file_format='parquet', partition_by='day', full=false) }}

select shop, x,
    sum(x) over (partition by shop order by day range interval 6 days preceding) as week,
    day
from {{ source('till', 'sales') }}
