import { eventually } from '@coffer/host/testing/boot'
import { expect } from '@jest/globals'
import type { Answer } from '../harness/person.ts'
import { untilRow } from './edited-account.ts'
import { holdPlaid } from './plaid-hold.ts'
import { linkAndSync, type PlaidPlace, type PlaidWork } from './plaid-work.ts'

const asSession = true

/**
 * The update of a link with the public token of another item. `isLost`: Plaid's answer to the
 * exchange of the token is lost.
 */
export async function prepareOtherUpdate(place: PlaidPlace, isLost: boolean): Promise<PlaidWork> {
  const { plaid, reader, person, finishLinks } = place
  const { linkId, item: own } = await linkAndSync(place)
  const token = await person.call('GET', '/aggregator/token/new', { asSession })
  const { publicToken, item } = plaid.completeLink(token.body.linkToken)
  const accountIds = item.accounts().map(({ account_id }) => account_id)
  const [accountText = ''] = accountIds
  const body = { linkId, publicToken, accountIds }
  return {
    item,
    linkId,
    linkText: linkId,
    accountText,
    holdAnswer: (of, how) => holdPlaid(plaid, { item, publicToken, path: of, ...how }),
    begin: async () => {
      const path = '/aggregator/link/update/callback'
      person.call('POST', path, { asSession, body }).catch((): Answer | null => null)
    },
    whileDown: async () => undefined,
    expectDone: async () => {
      await finishLinks()
      // The row of the public token: no link has more.
      const text = `
        SELECT * FROM aggregator_sync.aggregator_links
        WHERE account_id = $1 AND $2 = ANY(chosen_accounts)`
      const query = { text, values: [person.accountId, accountText] }
      await untilRow(reader, query, (row) => row?.released_at)
      // Plaid exchanges a token once, and has no list of items: a lost one cannot be removed.
      await eventually(
        async () => item.isRemoved,
        (isRemoved) => isRemoved === !isLost,
      )
      const { rows } = await reader.query(
        'SELECT item_id, deleted_at FROM aggregator_sync.aggregator_links WHERE link_id = $1',
        [linkId],
      )
      expect(rows).toEqual([{ item_id: own.itemId, deleted_at: null }])
      expect(own.isRemoved).toBe(false)
    },
  }
}
