/** Opens a client at the first call; later calls return it. A call after a failure opens again. */
export interface OnDemand<Client> {
  (): Promise<Client>
  /** Returns the client; null if none was opened, or opening it failed. */
  opened: () => Promise<Client | null>
}

/** Returns a function that opens a client on demand: libraries of some take a second to load. */
export function onDemand<Client>(open: () => Promise<Client>): OnDemand<Client> {
  let opening: Promise<Client> | null = null
  const get = (): Promise<Client> => {
    opening ??= open().catch((error) => {
      opening = null
      throw error
    })
    return opening
  }
  return Object.assign(get, { opened: async () => opening?.catch(() => null) ?? null })
}
