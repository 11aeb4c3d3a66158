-- The last hour of each sensor, in the spark-sql shell; Muntin runs it.
--
--     spark-sql --jars "$(python -m muntin jar)" -f examples/quickstart.sql

SET spark.sql.session.timeZone = UTC;

-- 10 sensors with a reading per minute, for a week.
CREATE TEMPORARY VIEW readings AS
SELECT id % 10 AS sensor, timestamp_seconds(id DIV 10 * 60) AS at, id * 37 % 101 AS value
FROM range(10 * 7 * 24 * 60);

CREATE TEMPORARY VIEW rolling AS
SELECT sensor, at, value,
       avg(value) OVER hour AS mean,
       max(value) OVER hour AS highest
FROM readings
WINDOW hour AS (PARTITION BY sensor ORDER BY at RANGE INTERVAL 1 HOUR PRECEDING);

SELECT * FROM rolling ORDER BY at, sensor LIMIT 5 OFFSET 100000;

EXPLAIN SELECT * FROM rolling;
