import { createSlots } from '@coffer/kit/slots'

/** A slow step of somebody's turn; so many run at the same time. */
export type Slowly = <Result>(step: () => Promise<Result>) => Promise<Result>

/**
 * Takes a turn that comes to slow steps: `work` begins at once, each of its slow steps when those
 * before it are done. `leftMs` is how long the caller waits at most. Throws what `tooLate` makes:
 *
 * - without beginning, where `waitingMax` wait already, or where, as long as such steps took of
 *   late, this one's would take most of its time to come: who begins is rarely refused later;
 * - where a slow step is not done `patienceMs` after the turn, or the one before it, began, or half
 *   of `leftMs`: the rest is for what comes after it.
 */
export type TakeTurn = <Result>(
  leftMs: number | undefined,
  work: (slowly: Slowly) => Promise<Result>,
) => Promise<Result>

// Steps take longer the more of them there are.
const mostOfIt = 0.75

/** A line of those who wait for slow work, bounded by number and by time. */
export function createTurns(line: {
  atOnce: number
  waitingMax: number
  patienceMs: number
  tooLate: () => Error
}): TakeTurn {
  const { atOnce, waitingMax, tooLate } = line
  const recent = createAverage()
  const slots = createSlots(atOnce)
  let places = 0
  return async (leftMs, work) => {
    const patienceMs = Math.min(line.patienceMs, (leftMs ?? Number.POSITIVE_INFINITY) / 2)
    const expectedMs = places < atOnce ? 0 : (places / atOnce) * recent.ms()
    if (places >= atOnce + waitingMax || expectedMs > patienceMs * mostOfIt) throw tooLate()
    places += 1
    const patience = startPatience(patienceMs, tooLate)
    const slowly: Slowly = async (step) => {
      patience.begin()
      await slots.take(patience.signal)
      try {
        return await recent.measure(step)
      } finally {
        slots.free()
        patience.end()
      }
    }
    const working = work(slowly).finally(() => {
      patience.end()
      places -= 1
    })
    return Promise.race([working, patience.lost])
  }
}

/** How long steps took of late, in milliseconds. */
function createAverage(): { ms: () => number; measure: Slowly } {
  let average = 0
  return {
    ms: () => average,
    measure: async (step) => {
      const startedAt = performance.now()
      try {
        return await step()
      } finally {
        const took = performance.now() - startedAt
        average = average === 0 ? took : average + (took - average) / 8
      }
    },
  }
}

interface Patience {
  begin: () => void
  end: () => void
  signal: AbortSignal
  /** Rejects once the time was up before it was ended. */
  lost: Promise<never>
}

/** Begun; ended and begun again it is whole again. */
function startPatience(patienceMs: number, tooLate: () => Error): Patience {
  const controller = new AbortController()
  const { promise: lost, reject } = Promise.withResolvers<never>()
  let timer: NodeJS.Timeout | null = null
  const lose = (): void => {
    const error = tooLate()
    controller.abort(error)
    reject(error)
  }
  const begin = (): void => {
    timer ??= setTimeout(lose, Math.max(0, patienceMs))
  }
  begin()
  return {
    begin,
    end: () => {
      if (timer) clearTimeout(timer)
      timer = null
    },
    signal: controller.signal,
    lost,
  }
}
