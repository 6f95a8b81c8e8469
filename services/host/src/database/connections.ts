import { say } from '@coffer/kit/reasons/reasons'
import { unavailable } from '@coffer/kit/rpc/errors'
import { createSemaphore } from '@coffer/kit/service/semaphore'
import { observeConnectionWait } from '../metrics.ts'
import type { Connection } from './postgres.client.ts'

/**
 * Connections of a service. Both methods throw unavailable (503) after `waitMsMax` in the queue.
 */
export interface Connections extends AsyncDisposable {
  /** Runs work on a connection that no other work uses meanwhile. */
  exclusive: <T>(run: (connection: Connection) => Promise<T>) => Promise<T>
  /** Runs one short read on a connection that other reads use concurrently. */
  shared: <T>(run: (connection: Connection) => Promise<T>) => Promise<T>
}

interface Options {
  schema: string
  open: Record<'exclusive' | 'shared', () => Promise<Connection>>
  /** Maximum number of connections, exclusive and shared ones together. */
  sizeMax: number
  /** Maximum wait for a free connection, in ms. */
  waitMsMax: number
  /** Whether reads may share connections; not behind a transaction pooler, which mixes sessions. */
  isSharing: boolean
}

/**
 * Number of connections that short reads share. A pool with fewer than `sharingFrom` connections
 * shares none.
 */
const sharedCount = 2
const sharingFrom = 4

/** Maximum reads in flight, over all shared connections. */
const sharedInFlightMax = 128

/** Time in ms after which an unused connection is closed. */
const idleMsMax = 60_000

/**
 * Creates the connections of a service, which open on first use. Records waits for a free
 * connection in `coffer_database_wait_seconds`, by schema.
 */
export function createConnections(options: Options): Connections {
  const { schema, waitMsMax, sizeMax, open } = options
  const isSharing = options.isSharing && sizeMax >= sharingFrom
  const idle = createIdle(open.exclusive)
  const shared = createShared(open.shared)
  const places = limited(isSharing ? sizeMax - sharedCount : sizeMax, { schema, waitMsMax })
  const reads = limited(sharedInFlightMax, { schema, waitMsMax })
  const exclusive: Connections['exclusive'] = (run) =>
    places(async () => {
      const connection = await idle.take()
      try {
        return await run(connection)
      } finally {
        idle.put(connection)
      }
    })
  return {
    exclusive,
    shared: isSharing ? (run) => reads(() => shared.use(run)) : exclusive,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([idle.end(), shared.end()])
    },
  }
}

/** Concurrency limiter: runs at most `count` tasks; throws unavailable after `waitMsMax`. */
function limited(count: number, { schema, waitMsMax }: { schema: string; waitMsMax: number }) {
  const semaphore = createSemaphore(count)
  const wait = async (): Promise<void> => {
    const startedAt = performance.now()
    const isAcquired = await semaphore.acquire(waitMsMax)
    observeConnectionWait((performance.now() - startedAt) / 1000, schema)
    if (!isAcquired) throw unavailable(say('DATABASE_BUSY'))
  }
  return async <T>(run: () => Promise<T>): Promise<T> => {
    if (semaphore.tryAcquire()) observeConnectionWait(0, schema)
    else await wait()
    try {
      return await run()
    } finally {
      semaphore.release()
    }
  }
}

const close = (connection: Connection): Promise<void> => connection.end().catch(() => {})

/** Keeps unused connections open for a minute; reuses the most recently used one first (LIFO). */
function createIdle(open: () => Promise<Connection>) {
  const idle: { connection: Connection; timer: NodeJS.Timeout }[] = []
  const used = new Set<Connection>()
  let isEnded = false
  return {
    take: async (): Promise<Connection> => {
      for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
        clearTimeout(last.timer)
        if (!last.connection.isLost()) {
          used.add(last.connection)
          return last.connection
        }
        void close(last.connection)
      }
      const opened = await open()
      used.add(opened)
      return opened
    },
    put: (connection: Connection): void => {
      used.delete(connection)
      if (isEnded || connection.isLost()) {
        void close(connection)
        return
      }
      const timer = setTimeout(() => {
        const index = idle.findIndex((one) => one.connection === connection)
        if (index >= 0) idle.splice(index, 1)
        void close(connection)
      }, idleMsMax)
      timer.unref()
      idle.push({ connection, timer })
    },
    end: async (): Promise<void> => {
      isEnded = true
      const all = idle.splice(0)
      for (const { timer } of all) clearTimeout(timer)
      await Promise.all([...all.map((one) => close(one.connection)), ...[...used].map(close)])
    },
  }
}

function isPreferred(one: Connection, other: Connection): boolean {
  if (one.hasUnsent() !== other.hasUnsent()) return one.hasUnsent()
  return one.inFlight() < other.inFlight()
}

/** Opens the shared connections on first use. The next read replaces a connection that was lost. */
function createShared(open: () => Promise<Connection>) {
  const opened: (Connection | undefined)[] = Array.from({ length: sharedCount })
  const opening: (Promise<Connection> | undefined)[] = Array.from({ length: sharedCount })
  const openAt = (place: number): Promise<Connection> => {
    opening[place] ??= open()
      .then((connection) => {
        opened[place] = connection
        return connection
      })
      .finally(() => {
        opening[place] = undefined
      })
    return opening[place]
  }
  return {
    /**
     * Runs a read on the connection whose statements are not sent yet: Postgres then starts once
     * for all reads of an iteration of the event loop. Without one, takes that with the fewest in
     * flight. Opens another connection if all are busy.
     */
    use: async <T>(run: (connection: Connection) => Promise<T>): Promise<T> => {
      let best: Connection | undefined
      let vacant: number | undefined
      for (const [place, connection] of opened.entries()) {
        if (connection?.isLost()) {
          opened[place] = undefined
          void close(connection)
        }
        const usable = opened[place]
        if (usable === undefined) vacant ??= place
        else if (best === undefined || isPreferred(usable, best)) best = usable
      }
      if (best === undefined) return run(await openAt(0))
      // Not awaited: this read uses the connection that is open already.
      if (vacant !== undefined && best.inFlight() > 0) openAt(vacant).catch(() => {})
      return run(best)
    },
    end: async (): Promise<void> => {
      await Promise.allSettled(opening)
      await Promise.all(opened.flatMap((connection) => connection && close(connection)))
    },
  }
}
