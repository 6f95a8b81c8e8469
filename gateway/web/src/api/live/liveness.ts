/** Polling intervals of shown answers in ms, with a stream of changes (`live`) and without one. */
const renewMs = { live: 60_000, other: 15_000 }

let isLive = false

/** Notes whether a tab of this browser has the stream; returns whether that has changed. */
export function noteLive(is: boolean): boolean {
  const isNew = isLive !== is
  isLive = is
  return isNew
}

/**
 * Returns the polling interval of shown answers in ms. With a stream too they are polled: sessions
 * and webhook deliveries, for example, are not in the change feed.
 */
export function renewalMs(): number {
  return isLive ? renewMs.live : renewMs.other
}
