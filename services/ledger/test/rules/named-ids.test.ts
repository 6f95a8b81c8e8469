import { booting } from '@coffer/host/testing/booting'
import { createHousehold } from '@coffer/host/testing/household'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { problems, refusals } from '../outcomes.ts'
import { envelopeOf, syncedHome } from '../syncs/syncing.ts'
import { deli, type Parts, rulingOf } from './ruling.ts'

const booted = auditing(booting([ledger]))
const rulesOf = rulingOf(booted)

test('IDs of bank accounts, envelopes and rules must exist', async () => {
  const home = await createHousehold(booted)
  const { client, write } = rulesOf(home)
  const create = (parts: Parts) =>
    client.createRule({ name: 'x', conditions: deli, actions: { name: 'x' }, ...parts }, home.as)
  const [ruleId = ''] = await write({ actions: { name: 'x' } })
  const foreign = [
    { conditions: { bankAccountId: newId('bac') } },
    { actions: { spendingId: newId('spnd') } },
    { actions: { refundSpendingId: newId('spnd') } },
  ]
  for (const parts of foreign) {
    const [key, part] = Object.entries(parts)[0] ?? []
    const named = { [key ?? '']: { [Object.keys(part ?? {})[0] ?? '']: expect.any(String) } }
    expect(await problems(create(parts))).toEqual(named)
    expect(await problems(client.updateRule({ ruleId, ...parts }, home.as))).toEqual(named)
  }
  const outcomes = await refusals(
    client.orderRules({ ruleIds: [newId('rule')] }, home.as),
    client.orderRules({ ruleIds: [ruleId, ruleId] }, home.as),
    client.orderRules({ ruleIds: [] }, home.as),
  )
  const [invalid, missing] = ['InvalidArgument', 'NotFound']
  expect(outcomes).toEqual([missing, invalid, invalid])
})

test('a rule whose envelope is deleted can be saved and previewed as it is', async () => {
  const home = await syncedHome(booted)
  const { client, write } = rulesOf(home)
  const { spendingId } = await envelopeOf(home, 1_000n)
  const actions = { spendingId, refundSpendingId: spendingId }
  const [ruleId = ''] = await write({ actions })
  await home.envelopes.closeEnvelope({ bankAccountId: home.bankAccountId, spendingId }, home.as)
  const same = { ruleId, conditions: deli, actions }
  expect((await client.updateRule(same, home.as)).rule?.actions).toMatchObject(actions)
  expect(await client.previewRule(same, home.as)).toMatchObject({ changedCount: 0 })
  const swapped = { ruleId, actions: { spendingId, refundSpendingId: newId('spnd') } }
  expect(await problems(client.updateRule(swapped, home.as))).toMatchObject({
    actions: { refundSpendingId: expect.any(String) },
  })
})
