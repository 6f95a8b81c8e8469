import { afterAll, expect, test } from '@jest/globals'
import { z } from 'zod'
import { isAmount } from '../../src/http/errors/body-hints.ts'
import { formOf } from '../forms.ts'
import { createGateway } from '../gateway.ts'
import { listRoutes } from '../routes.ts'
import { accountUrl, balances } from '../samples.ts'

const gateway = await createGateway(
  {
    bankAccounts: { describeBankAccount: () => ({}) },
    transactions: { createTransactions: () => ({ balance: balances }) },
  },
  { COFFER_UPLOADS_ENABLED: 'true', COFFER_PROOF_OF_WORK_ENABLED: 'true' },
)
afterAll(async () => await gateway[Symbol.asyncDispose]())

const minorUnits = 'amounts are minor units: 12.50 is 1250, in a currency with two decimal places'
const purchase = { amount: 12.5, date: '2026-01-31T06:00:00Z', name: 'X', adjusts_balance: true }
const hints = [minorUnits, 'did you mean adjustsBalance?']
const problems = { amount: 'must be an integer', adjusts_balance: 'key not expected' }

test('a refusal has hints beside the same error and problems', async () => {
  const { status, body } = await gateway.send('POST', `${accountUrl}/transactions`, {
    body: purchase,
  })
  expect([status, body]).toEqual([400, { error: 'Invalid request', problems, hints }])
  const plain = await gateway.send('POST', `${accountUrl}/transactions`, { body: {} })
  expect(Object.keys(plain.body)).toEqual(['error', 'problems'])
})

test('problem details have the hints', async () => {
  const { text } = await gateway.send('POST', `${accountUrl}/transactions`, {
    body: purchase,
    headers: { accept: 'application/problem+json' },
  })
  expect(JSON.parse(text)).toMatchObject({ detail: 'Invalid request', problems, hints })
})

test('an item of a bulk request has the hints that it would get alone', async () => {
  const body = { transactions: [purchase] }
  const answer = await gateway.send('POST', `${accountUrl}/transactions/bulk`, { body })
  expect(answer.body.results).toMatchObject([{ error: 'Invalid request', problems, hints }])
})

test('expense or goal: both shapes are reported, and the hint names the values', async () => {
  const body = { spendingType: 'bill', name: 'Rent' }
  const answer = await gateway.send('POST', `${accountUrl}/spending`, { body })
  expect(answer.body.problems.oneOf).toHaveLength(2)
  expect(answer.body.hints).toEqual(['spendingType is expense or goal'])
})

test('a Bearer credential and a part of another name have a hint', async () => {
  const as = { authorization: 'Bearer coffer_secret' }
  const denied = await gateway.send('GET', '/api/links', { as })
  expect([denied.status, denied.body.hints]).toEqual([
    401,
    [expect.stringContaining('a Bearer credential was sent: use Basic')],
  ])
  const form = await formOf({ file: new File(['Date,Text,Amount'], 'june.csv') })
  const upload = await gateway.send('POST', `${accountUrl}/transactions/import`, form)
  expect(upload.body).toMatchObject({
    problems: { file: 'key not expected' },
    hints: [expect.stringContaining('name the part data')],
  })
})

test('the integers of bodies are amounts by their names, aside from these', () => {
  const bodies = listRoutes(gateway).flatMap(({ body, file }) => (body && !file ? body : []))
  const schemas = bodies.map((body) =>
    z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }),
  )
  const integers =
    /"(\w+)":\{"(?:[^{}]*anyOf":\[\{"type":"null"\},\{")?(?:[^{}]*,")?type":"integer"/g
  const names = [...JSON.stringify(schemas).matchAll(integers)].map(([, name = '']) => name)
  expect(new Set(names).size).toBeGreaterThan(4)
  expect(new Set(names.filter((name) => !isAmount.test(name)))).toEqual(
    new Set(['nonce', 'graceDays', 'headerRow', 'dayFrom', 'dayTo', 'position']),
  )
})
