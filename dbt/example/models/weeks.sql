{{ config(
    materialized='muntin_windows',
    file_format='parquet',
    partition_by='day',
    changes="select * from {{ source('till', 'sales') }}
             where loaded_at >= (select max(loaded_at) from {{ this }})"
) }}

select shop, x,
    sum(x) over (partition by shop order by day range interval 6 days preceding) as week,
    loaded_at, day
from {{ source('till', 'sales') }}
