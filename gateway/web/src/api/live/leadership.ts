/** Name of the lock, and of the lease of browsers without locks. */
const name = 'coffer-stream'

/** Time in ms for which a tab holds the lease; it renews it four times in it. */
const leaseMs = 8_000
/** Time in ms after which the last of several claims has been written. */
const claimMs = 300

/**
 * Runs `work` while this tab is the leader: the only one of the browser, until `signal` aborts.
 * Leader election by Web Locks, which the browser frees with their tab. Pages without TLS have no
 * locks: there, a lease in `localStorage` is renewed. Throws if a browser has neither.
 */
export async function lead(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  // The DOM types say that it always exists.
  const locks = navigator.locks as LockManager | undefined
  if (locks === undefined) return leadByLease(signal, work)
  await locks.request(name, { signal }, () => work(signal)).catch(unlessAborted(signal))
}

/** Runs `work` while this tab holds the lease. It claims a free one, and looks again who has it. */
function leadByLease(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): void {
  const tab = String(Math.random())
  let term: AbortController | null = null
  let timer: ReturnType<typeof setTimeout>
  const look = () => {
    const holder = holderOfLease()
    if (holder === null || holder === tab) claimLease(tab)
    timer = setTimeout(look, holder === null ? claimMs : leaseMs / 4)
    if (holder !== tab) {
      term?.abort()
      term = null
    } else if (term === null) {
      term = new AbortController()
      const own = AbortSignal.any([signal, term.signal])
      void work(own).catch(unlessAborted(own))
    }
  }
  look()
  const leave = () => {
    clearTimeout(timer)
    if (holderOfLease() === tab) localStorage.removeItem(name)
  }
  signal.addEventListener('abort', leave, { once: true })
}

/** Returns the tab with the lease; null if it is free. Throws where storage is switched off. */
function holderOfLease(): string | null {
  const [holder = '', until] = (localStorage.getItem(name) ?? '').split(' ')
  return Number(until) > Date.now() ? holder : null
}

function claimLease(tab: string): void {
  localStorage.setItem(name, `${tab} ${Date.now() + leaseMs}`)
}

function unlessAborted(signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) throw error
  }
}
