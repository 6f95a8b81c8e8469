import { holdTransaction } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold } from '@coffer/host/testing/household'
import { objectTag } from '@coffer/kit/rpc/object-tag'
import { headers } from '@coffer/kit/rpc/rpc'
import { RuleSchema } from '@coffer/proto/ledger/v1/rule'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { ledger } from '../../src/service.ts'
import { refusals } from '../outcomes.ts'
import { rulingOf } from './ruling.ts'

const booted = booting([ledger])

test('of concurrent changes of a rule with one tag, exactly one is made', async () => {
  const home = await createHousehold(booted)
  const { client, write, order } = rulingOf(booted)(home)
  const [ruleId = ''] = await write({ actions: { name: 'x' } })
  const seen = async () => {
    const { rule } = await client.getRule({ ruleId }, home.as)
    const sent = new Headers(home.as.headers)
    if (rule) sent.set(headers.ifMatch, objectTag(RuleSchema, rule))
    return { ...home.as, headers: sent }
  }
  const row = sql.unsafe`SELECT FROM rules WHERE rule_id = ${ruleId} FOR UPDATE`
  const first = await seen()
  const { untilAwaited, release } = await holdTransaction(booted.database('ledger'), row)
  const changes = ['a', 'b', 'c'].map((name) => client.updateRule({ ruleId, name }, first))
  await untilAwaited()
  await release()
  const outcomes = await refusals(...changes)
  expect(outcomes.toSorted()).toEqual(['FailedPrecondition', 'FailedPrecondition', 'accepted'])
  expect(await refusals(client.deleteRule({ ruleId }, first))).toEqual(['FailedPrecondition'])
  await client.deleteRule({ ruleId }, await seen())
  expect(await order()).toEqual([])
})
