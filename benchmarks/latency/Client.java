import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.*;

/**
 * Sends rows to a topic at a rate, reads the results from another topic, and checks them.
 *
 * Row number `id` has the key `id % keys`, so the earlier rows of its key are `id - keys`, `id - 2 *
 * keys` and so on: the client computes each result from two arrays. The latency of a row is the
 * CreateTime of its result minus the CreateTime of the row, in milliseconds. Each line of the
 * output is a JSON object.
 *
 *     java Client.java bootstrap=… source=… target=… partitions=2 keys=1000 result=range
 *         phases=1000:60:60,10000:60:60 backlog=3000000
 *
 * A phase is `rate:seconds before:seconds measured`. Phases follow one another without a pause; the
 * rows of the backlog follow the last phase as fast as the client can send them. The results of its
 * last two thirds are timed.
 */
public final class Client {
  private static final long RANGE_MILLIS = 60_000L;
  private static final int ROWS = 100;
  private static final int LONGEST_MILLIS = 600_000;
  private static final long STALLED_MILLIS = 120_000L;
  private static final long START_MILLIS = 300_000L;
  private static final int START_RATE = 100;
  // The rows of the backlog have the times of rows at this rate.
  private static final long BACKLOG_RATE = 10_000L;

  private record Phase(int rate, int before, int measured) {
    int rows() {
      return rate * (before + measured);
    }
  }

  private final Map<String, String> options;
  private final int keys;
  private final List<Phase> phases = new ArrayList<>();
  private final int backlog;
  private final long[] at;
  private final long[] created;
  private final long[] sums;
  private final byte[] seen;
  private final long[][] latencies;
  private final int[] measuredFrom;
  private final int[] measuredTo;

  // What the sender has written to the arrays, and what the reader has found.
  private volatile int sent = 0;
  private volatile int required = Integer.MAX_VALUE;
  private volatile int found = 0;
  private volatile long wrong = 0;
  private volatile long repeated = 0;
  private volatile long newest = 0;
  private volatile String firstWrong = "";
  private volatile boolean isDone = false;
  private volatile Throwable failure = null;
  private long worstDelay = 0;

  private Client(Map<String, String> options) {
    this.options = options;
    keys = Integer.parseInt(options.get("keys"));
    backlog = Integer.parseInt(options.get("backlog"));
    int rows = (int) (START_MILLIS / 1000 * START_RATE) + backlog + keys;
    for (String phase : options.get("phases").split(",")) {
      String[] parts = phase.split(":");
      Phase made =
          new Phase(
              Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
      phases.add(made);
      rows += made.rows();
    }
    at = new long[rows];
    created = new long[rows];
    sums = new long[rows];
    seen = new byte[rows];
    latencies = new long[phases.size()][LONGEST_MILLIS + 1];
    measuredFrom = new int[phases.size()];
    measuredTo = new int[phases.size()];
    Arrays.fill(measuredFrom, Integer.MAX_VALUE);
    Arrays.fill(measuredTo, Integer.MAX_VALUE);
  }

  public static void main(String[] args) throws Exception {
    Map<String, String> options = new HashMap<>();
    for (String arg : args) {
      String[] parts = arg.split("=", 2);
      options.put(parts[0], parts[1]);
    }
    new Client(options).run();
    // A consumer that waits for the broker must not keep the program alive.
    System.exit(0);
  }

  private void run() throws Exception {
    createTopics();
    Thread reader = new Thread(this::read, "reader");
    reader.setDaemon(true);
    reader.start();
    say("\"event\": \"ready\"");
    try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(producerSettings())) {
      send(producer);
    }
    isDone = true;
  }

  private void createTopics() throws Exception {
    int partitions = Integer.parseInt(options.get("partitions"));
    try (AdminClient admin = AdminClient.create(settings())) {
      admin
          .createTopics(
              List.of(
                  new NewTopic(options.get("source"), partitions, (short) 1),
                  new NewTopic(options.get("target"), partitions, (short) 1)))
          .all()
          .get();
    }
  }

  private Properties settings() {
    Properties made = new Properties();
    made.put("bootstrap.servers", options.get("bootstrap"));
    return made;
  }

  private Properties producerSettings() {
    Properties made = settings();
    made.put("key.serializer", ByteArraySerializer.class.getName());
    made.put("value.serializer", ByteArraySerializer.class.getName());
    made.put("linger.ms", "0");
    made.put("batch.size", "65536");
    made.put("buffer.memory", "134217728");
    return made;
  }

  private void send(KafkaProducer<byte[], byte[]> producer) throws Exception {
    int next = start(producer);
    for (int p = 0; p < phases.size(); p++) {
      Phase phase = phases.get(p);
      measuredTo[p] = next + phase.rows();
      measuredFrom[p] = next + phase.rate * phase.before;
      say("\"event\": \"phase\", \"number\": " + p);
      int end = next + phase.rows();
      next = paced(producer, next, end, phase.rate);
    }
    int begin = found;
    long beginMillis = System.currentTimeMillis();
    say("\"event\": \"backlog\", \"found\": " + begin);
    long time = at[next - 1];
    int end = next + backlog;
    for (int n = 0; next < end; n++) {
      sendRow(producer, next++, time + 1 + n * 1000L / BACKLOG_RATE);
    }
    producer.flush();
    required = next;
    // The code of the query is compiled again when rows no longer wait for one another.
    await(begin + backlog / 3);
    int foundWhenSent = found;
    long sentMillis = System.currentTimeMillis();
    say("\"event\": \"sent\", \"found\": " + foundWhenSent);
    // A query by event time emits the last rows when later rows arrive.
    for (int n = 0; n < keys; n++) sendRow(producer, next++, at[required - 1] + 1000L);
    producer.flush();
    await(required);
    long endMillis = newest;
    // If few rows were left when all had been sent, take the time from the first of the backlog.
    boolean isRest = required - foundWhenSent > backlog / 3;
    say("\"event\": \"found\", \"rows\": " + (required - (isRest ? foundWhenSent : begin))
        + ", \"from\": \"" + (isRest ? "sent" : "backlog") + "\""
        + ", \"millis\": " + (endMillis - (isRest ? sentMillis : beginMillis)));
    for (int p = 0; p < phases.size(); p++) say(summary(p));
    say("\"event\": \"end\", \"rows\": " + required + ", \"found\": " + found
        + ", \"wrong\": " + wrong + ", \"repeated\": " + repeated
        + ", \"firstWrong\": \"" + firstWrong + "\", \"worstDelay\": " + worstDelay);
  }

  /** Sends a few rows until the query answers. Returns the number of the next row. */
  private int start(KafkaProducer<byte[], byte[]> producer) throws Exception {
    int next = 0;
    int most = (int) (START_MILLIS / 1000 * START_RATE);
    while (found == 0) {
      check();
      if (next == most) throw new IllegalStateException("the query does not answer");
      int end = Math.min(most, next + START_RATE / 10);
      next = paced(producer, next, end, START_RATE);
    }
    say("\"event\": \"answers\"");
    return next;
  }

  private int paced(KafkaProducer<byte[], byte[]> producer, int from, int to, int rate) {
    long began = System.nanoTime();
    int next = from;
    while (next < to) {
      check();
      long passed = System.nanoTime() - began;
      int due = from + (int) Math.min((long) to - from, passed * rate / 1_000_000_000L + 1L);
      long late = passed - (next - from) * 1_000_000_000L / rate;
      worstDelay = Math.max(worstDelay, late / 1_000_000L);
      while (next < due) sendRow(producer, next++, System.currentTimeMillis());
      long wake = began + (next - from) * 1_000_000_000L / rate;
      // Not more than a thousand wake-ups per second.
      long pause = Math.max(1_000_000L, wake - System.nanoTime());
      LockSupport.parkNanos(pause);
    }
    return next;
  }

  private void sendRow(KafkaProducer<byte[], byte[]> producer, int id, long time) {
    int key = id % keys;
    long x = value(id);
    int before = id - keys;
    at[id] = before < 0 ? time : Math.max(time, at[before] + 1);
    sums[id] = (before < 0 ? 0 : sums[before]) + x;
    long now = System.currentTimeMillis();
    created[id] = now;
    sent = id + 1;
    String row = "{\"id\":" + id + ",\"at\":" + at[id] + ",\"x\":" + x + "}";
    producer.send(
        new ProducerRecord<>(
            options.get("source"),
            null,
            now,
            ("card-" + key).getBytes(StandardCharsets.US_ASCII),
            row.getBytes(StandardCharsets.US_ASCII)));
  }

  private static long value(int id) {
    return id * 37L % 101L;
  }

  /** Waits for this number of results, or until no more arrive. */
  private void await(int results) throws Exception {
    int last = -1;
    long moved = System.currentTimeMillis();
    while (found < results) {
      check();
      long now = System.currentTimeMillis();
      if (found != last) {
        last = found;
        moved = now;
      } else if (now - moved > STALLED_MILLIS) {
        say("\"event\": \"stalled\", \"found\": " + found + ", \"rows\": " + results);
        return;
      }
      Thread.sleep(20);
    }
  }

  private void check() {
    if (failure != null) throw new IllegalStateException(failure);
  }

  private void read() {
    Properties made = settings();
    made.put("key.deserializer", ByteArrayDeserializer.class.getName());
    made.put("value.deserializer", ByteArrayDeserializer.class.getName());
    made.put("max.poll.records", "10000");
    made.put("fetch.max.wait.ms", "50");
    try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(made)) {
      int partitions = Integer.parseInt(options.get("partitions"));
      List<TopicPartition> all = new ArrayList<>();
      for (int p = 0; p < partitions; p++) all.add(new TopicPartition(options.get("target"), p));
      consumer.assign(all);
      consumer.seekToBeginning(all);
      long[] numbers = new long[3];
      while (!isDone) {
        int more = 0;
        int known = sent;
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(50))) {
          parse(record.value(), numbers);
          int id = (int) numbers[0];
          if (id >= known) known = sent;
          if (id >= required) continue;
          if (seen[id] != 0) repeated++;
          else {
            seen[id] = 1;
            more++;
            newest = Math.max(newest, record.timestamp());
            if (!isRight(id, numbers[1], numbers[2])) {
              if (wrong++ == 0) firstWrong = Arrays.toString(numbers);
            }
            for (int p = 0; p < latencies.length; p++) {
              if (id >= measuredFrom[p] && id < measuredTo[p]) {
                long millis = record.timestamp() - created[id];
                latencies[p][(int) Math.max(0, Math.min(LONGEST_MILLIS, millis))]++;
              }
            }
          }
        }
        found += more;
      }
    } catch (Throwable e) {
      if (!isDone) failure = e;
    }
  }

  /** Reads the numbers of {"id":1,"n":2,"s":3}. */
  private static void parse(byte[] json, long[] numbers) {
    int place = 0;
    for (int i = 0; place < numbers.length; i++) {
      if (json[i] != ':') continue;
      boolean isNegative = json[i + 1] == '-';
      long number = 0;
      for (i += isNegative ? 2 : 1; json[i] >= '0' && json[i] <= '9'; i++) {
        number = number * 10 + json[i] - '0';
      }
      numbers[place++] = isNegative ? -number : number;
      i--;
    }
  }

  private boolean isRight(int id, long n, long s) {
    int first;
    switch (options.get("result")) {
      case "once":
        return n == 1 && s == value(id);
      case "total":
        first = id % keys;
        break;
      case "rows":
        first = Math.max(id % keys, id - (ROWS - 1) * keys);
        break;
      case "range":
        first = firstInRange(id);
        break;
      default:
        throw new IllegalArgumentException(options.get("result"));
    }
    long before = first < keys ? 0 : sums[first - keys];
    return n == (id - first) / keys + 1 && s == sums[id] - before;
  }

  private int firstInRange(int id) {
    int key = id % keys;
    int low = 0;
    int high = id / keys;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (at[key + middle * keys] < at[id] - RANGE_MILLIS) low = middle + 1;
      else high = middle;
    }
    return key + low * keys;
  }

  private String summary(int p) {
    StringBuilder counts = new StringBuilder();
    for (int ms = 0; ms <= LONGEST_MILLIS; ms++) {
      if (latencies[p][ms] > 0) {
        if (counts.length() > 0) counts.append(", ");
        counts.append("\"").append(ms).append("\": ").append(latencies[p][ms]);
      }
    }
    return "\"event\": \"latencies\", \"phase\": " + p + ", \"counts\": {" + counts + "}";
  }

  private static synchronized void say(String fields) {
    System.out.println("{" + fields + "}");
    System.out.flush();
  }
}
