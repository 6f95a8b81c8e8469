/** Times in ms at which shown answers are renewed by themselves. */
const renewMs = { live: 60_000, other: 15_000 }

let isLive = false

/** Notes whether the stream tells changes to a tab of this browser; returns whether that is new. */
export function noteLive(is: boolean): boolean {
  const isNew = isLive !== is
  isLive = is
  return isNew
}

/**
 * Returns the time in ms after which a shown answer is asked for again. Some states have no changes
 * in the feed, such as sessions and deliveries of webhooks.
 */
export function renewalMs(): number {
  return isLive ? renewMs.live : renewMs.other
}
