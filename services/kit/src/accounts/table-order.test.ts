import { expect, test } from '@jest/globals'
import { referringFirst } from './table-order.ts'

test('a table comes before all that it refers to', () => {
  const references = [
    { from: 'lines', to: 'runs' },
    { from: 'lines', to: 'plans' },
    { from: 'runs', to: 'schedules' },
    { from: 'plans', to: 'schedules' },
    { from: 'plans', to: 'plans' },
    { from: 'lines', to: 'elsewhere' },
  ]
  const ordered = referringFirst(['schedules', 'plans', 'runs', 'lines'], references)
  expect(ordered).toEqual(['lines', 'plans', 'runs', 'schedules'])
})

test('tables that refer to each other have no order', () => {
  const references = [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'a' },
  ]
  expect(() => referringFirst(['a', 'b', 'c'], references)).toThrow('a, b')
})
