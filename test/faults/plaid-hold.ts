import { eventually } from '@coffer/host/testing/boot'
import { changed } from '../providers/faults.ts'
import { plaidFaults } from '../providers/plaid/faults.ts'
import type { PlaidItem } from '../providers/plaid/item.ts'
import type { Plaid } from '../providers/plaid/plaid.ts'
import type { Hold } from './held-points.ts'

const unchanged = changed((body) => body)

/**
 * Holds Plaid's answer to a path: of an item, of the exchange of a public token, or of any other
 * path. `isLost`: the call has no effect at Plaid.
 */
export function holdPlaid(
  { calls, fault }: Plaid,
  of: {
    item: PlaidItem
    path: RegExp
    publicToken?: string
    skipped?: number
    isLost?: boolean
  },
): Hold {
  const { item, path, publicToken, skipped = 0, isLost = false } = of
  const isOfItem = /accounts|transactions|item\/remove|item\/webhook/.test(path.source)
  const { promise, resolve } = Promise.withResolvers<void>()
  const from = calls.length
  const set = isOfItem ? item.fault : fault
  if (skipped > 0) set(path, unchanged, skipped)
  set(path, isLost ? plaidFaults.hang : plaidFaults.hold(promise), 1)
  const arrived = () =>
    calls.slice(from).filter(({ path: called, request }) => {
      if (!path.test(called)) return false
      if (isOfItem) return request?.access_token === item.accessToken
      return !publicToken || request?.public_token === publicToken
    }).length
  return {
    reached: () =>
      eventually(
        async () => arrived(),
        (count) => count > skipped,
      ),
    end: async () => resolve(),
  }
}
