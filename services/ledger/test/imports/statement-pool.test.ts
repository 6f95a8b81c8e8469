import { expect, test } from '@jest/globals'
import type { ReceivedStatement } from '../../src/imports/formats/statement.ts'
import type { ReadingTask } from '../../src/imports/formats/statement-file.ts'
import { startReaders } from '../../src/imports/formats/statement-pool.client.ts'
import { statementOf } from './uploading.ts'

const settings = { currency: 'USD', timezone: 'UTC' }
/** The rows of one payment of 1.00. */
const onePayment = { rows: { length: 1 } }
const taskOf = (text: string): ReadingTask => ({
  bytes: new TextEncoder().encode(text),
  settings,
  format: { kind: 'ofx' },
})

test('a file that exceeds the timeout is unreadable, and the next ones are read', async () => {
  const module = new URL('./stuck.worker.ts', import.meta.url)
  await using readers = startReaders({ module, taskTimeoutMs: 3_000 })
  const endless = ['A', 'B'].map((account) => readers.read(account, async () => taskOf('')))
  const next = readers.read('C', async () => taskOf(statementOf({ a: '-1.00' })))
  for (const one of await Promise.all(endless)) {
    expect(one).toEqual({
      unreadable: 'The file takes too much time or memory to read: export a shorter period',
    })
  }
  expect(await next).toMatchObject(onePayment)
})

test('one file of an account is read at a time, while other accounts are served', async () => {
  await using readers = startReaders()
  const { promise: task, resolve } = Promise.withResolvers<ReadingTask>()
  const file = async () => taskOf(statementOf({ a: '-1.00' }))
  const first = readers.read('A', () => task)
  const notLoaded = () => Promise.reject(new Error('loaded'))
  expect(await readers.read('A', notLoaded)).toBe('busy')
  expect(await readers.read('B', file)).toMatchObject(onePayment)
  resolve(await file())
  const read = await first
  expect(
    'unreadable' in (read as object) ? [] : [...(read as ReceivedStatement).rows],
  ).toMatchObject([{ amount: 100n, date: new Date('2026-01-10') }])
  await expect(readers.read('A', notLoaded)).rejects.toThrow('loaded')
  // A clone of each skipped row would block the main thread: they come as counts.
  const zeros = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`zero ${at}`, '0']))
  const text = statementOf({ a: '-1.00', ...zeros })
  const { skipped } = (await readers.read('A', async () => taskOf(text))) as ReceivedStatement
  expect(skipped).toMatchObject([{ reason: 'zero', count: 500, rows: { length: 10 } }])
  expect(await readers.read('A', file)).toMatchObject(onePayment)
})

test('an entry of many transactions is read in linear time', async () => {
  // A parser with quadratic time would take minutes; a linear one takes about a second.
  await using readers = startReaders({ taskTimeoutMs: 120_000 })
  const count = 90_000
  const stated = '<CdtDbtInd>DBIT</CdtDbtInd><BookgDt><Dt>2026-01-20</Dt></BookgDt>'
  const shared =
    `<BkTxCd><Prtry><Cd>${' '.repeat(40_000)}</Cd></Prtry></BkTxCd>` +
    `<RmtInf>${'<Ustrd/>'.repeat(5_000)}</RmtInf>`
  const details = '<NtryDtls><TxDtls><Amt>0.01</Amt></TxDtls></NtryDtls>'
  const entry = `<Ntry><Amt>${count / 100}</Amt>${stated}${shared}${details.repeat(count)}</Ntry>`
  const text = `<Document><BkToCstmrStmt><Stmt>${entry}</Stmt></BkToCstmrStmt></Document>`
  const format = { kind: 'camt053' } as const
  const read = await readers.read('A', async () => ({ ...taskOf(text), format }))
  expect(read).toHaveProperty('rows.length', count)
})
