import { expect, test } from '@jest/globals'
import { readBelow } from '../../../../test/imports/sound-statement.ts'

/**
 * Reads amounts such as `D -5.00` of debits and `C 9.00` of credits, each with a balance or none:
 * as two columns, or beside a word.
 */
function read(amounts: string, kind: 'column' | 'type', minusReverses?: boolean) {
  const cells = amounts.split(', ').map((one, at) => {
    const [word = '', amount = '', balance = ''] = one.split(' ')
    const both = word === 'D' ? [amount, ''] : ['', amount]
    const written = kind === 'type' ? [word, amount] : both
    return [at, `2026-01-${String(at + 1).padStart(2, '0')}`, 'x', ...written, balance].join(',')
  })
  const names = kind === 'type' ? ['Amount', 'Kind'] : ['Debit', 'Credit']
  const words = kind === 'type' ? { debit: 'D', credit: 'C' } : {}
  const fields = names.map((name) => ({ name }))
  const balance = { kind: 'field', fields: [{ name: 'Balance' }] }
  const headers = ['Id', 'Date', 'Text', ...(kind === 'type' ? names.toReversed() : names)]
  const found = readBelow([...headers, 'Balance'], cells, {
    amount: { kind, invert: false, fields, ...words },
    stated: minusReverses === undefined ? {} : { minusReverses },
    ...(cells[0]?.endsWith(',') ? {} : { balance }),
  })
  if ('unreadable' in found) return found.unreadable
  const [made] = found.choices ?? []
  const moves = found.rows.map(({ amount }) => -Number(amount) / 100)
  return [moves.join(' '), ...(made ? [made.value, made.reason] : [])]
}

const alike = (name: string, text: string) => `all amounts of ${name} have a minus, as ${text}`
const most = (name: string, text: string) => `most amounts of ${name} are written like ${text}`

test.each([
  ['D 5.00, C 9.00', ['-5 9']],
  ['D 5.00, D 7.00, D -1.00, C 9.00', ['-5 -7 1 9', 'true', 'D', '5.00']],
  ['D 5.00, C 9.00, C 8.00, C -1.00', ['-5 9 8 -1', 'true', 'C', '9.00']],
  ['D -5.00, C 9.00', ['-5 9', 'false', 'D', '-5.00']],
  ['D -5.00, C 9.00, C 8.00, C -1.00', ['-5 9 8 -1', 'false', 'D', '-5.00']],
  ['D -5.00, C -1.00, C 9.00', ['-5 -1 9', 'false', 'D', '-5.00']],
  ['D 2.00, D 188.45, C -500.00', ['-2 -188.45 500', 'false', 'C', '-500.00']],
  ['D -5.00, C -9.00', ['-5 9', 'false', 'D', '-5.00']],
  ['D -5.00, D -6.00, D -7.00, D -8.00, D 1.00', ['-5 -6 -7 -8 1', 'false', 'D', '-5.00']],
])('debits and credits %s have usual signs', (amounts, [moves, value, name = '', text = '']) => {
  const count = (pattern: RegExp) => amounts.match(pattern)?.length ?? 0
  const isMixed = count(RegExp(`${name} -`, 'g')) !== count(RegExp(`${name} `, 'g'))
  const reasonOf = isMixed ? most : alike
  const names = { column: { D: 'Debit', C: 'Credit' }, type: { D: 'D', C: 'C' } } as const
  for (const kind of ['column', 'type'] as const) {
    const shown = names[kind][name as 'D'] ?? ''
    const reason = value === undefined ? [] : [value, reasonOf(shown, text)]
    expect(read(amounts, kind)).toEqual([moves, ...reason])
  }
})

test.each([
  ['D 50.00, D -5.00, D -3.00, C 100.00', '-50 5 3 100', '50 -5 -3 100'],
  ['D 50.00, D -5.00, C 100.00', '-50 5 100', '50 -5 100'],
  ['D -29.00, D 5.00, D -7.00', '29 -5 7', '-29 5 -7'],
  ['D 5.00, C 9.00, C -8.00, C -7.00', '-5 9 -8 -7', '-5 -9 8 7'],
  ['D -5.00, D 6.00, C 9.00, C -8.00', '5 -6 9 -8', '-5 6 9 -8'],
])('of %s none is guessed: a minus is stated to go the other way, or not', (amounts, yes, no) => {
  for (const kind of ['column', 'type'] as const) {
    expect(read(amounts, kind)).toMatch(/are usual or go back: state minusReverses, or map the bal/)
    expect(read(amounts, kind, true)).toEqual([yes, 'true', 'stated'])
    expect(read(amounts, kind, false)).toEqual([no, 'false', 'stated'])
  }
})

test.each([
  ['D -5.00 95.00, D -7.00 88.00, C 9.00 97.00', '-5 -7 9', 'false'],
  ['D 50.00 50.00, D -5.00 55.00, D -3.00 58.00, C 9.00 67.00', '-50 5 3 9', 'true'],
  ['D -50.00 50.00, D 5.00 55.00, D 3.00 58.00, C 9.00 67.00', '-50 5 3 9', 'false'],
  ['C 9.00 100.00, D -5.00 105.00, D -7.00 112.00', '9 5 7', 'true'],
])('the balances of %s tell the usual signs', (amounts, moves, value) => {
  for (const kind of ['column', 'type'] as const) {
    expect(read(amounts, kind)).toEqual([moves, value, 'the balances move so'])
  }
})
