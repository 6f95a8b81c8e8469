import { ownName } from '../../base-path.ts'

/** Name of the Web Lock, and of the lease in `localStorage` for browsers without Web Locks. */
const name = ownName('coffer-stream')

/** Validity of the lease in ms; the leader renews the lease four times in this time. */
const leaseMs = 8_000
/** Pause in ms after a claim, so that claims of other tabs are written before it is checked. */
const claimMs = 300

/**
 * Leader election: runs `work` in only one tab of the browser, until `signal` aborts. Uses Web
 * Locks, which the browser releases when the tab closes. Pages without TLS have none: there, a
 * lease in `localStorage` is renewed. Throws if the browser has neither.
 */
export async function lead(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  // Undefined without TLS, though the DOM types say otherwise.
  const locks = navigator.locks as LockManager | undefined
  if (locks === undefined) return leadByLease(signal, work)
  await locks.request(name, { signal }, () => work(signal)).catch(unlessAborted(signal))
}

/**
 * Runs `work` while this tab holds the lease. Claims a free lease, then checks which claim has won.
 */
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

/** Returns the tab that holds the lease; null if it is free. Throws if storage is disabled. */
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
