import { expect, test } from '@jest/globals'
import { overdueMarkers, unmarkedBranches } from './markers.ts'

const path = 'services/ledger/src/a.ts'
const marked = '// until 0.4: 0.2.0 has no such RPC.\nreturn null\n'

test.each([
  ['0.3.9', false],
  ['0.4.0', true],
  ['0.10.0', true],
  ['1.0.0', true],
])('in %s a branch until 0.4 is overdue: %s', (version, isOverdue) => {
  const found = isOverdue ? [`${path}:1: // until 0.4: 0.2.0 has no such RPC.`] : []
  expect(overdueMarkers({ path, text: marked }, version)).toEqual(found)
})

test.each([
  '// A ledger of the version before.\nreturn null',
  '/** The previous release published it. */\nconst retired = 1',
  '  // Kept because an identity of the version\n  // before counts none.\n  return {}',
  '/**\n * A token of 0.2.0, which every\n * service accepts.\n */',
])('a comment that names a former version has a marker: %j', (text) => {
  expect(unmarkedBranches({ path, text })).toHaveLength(1)
  const [first = '', ...rest] = text.split('\n')
  const until = first === '/**' ? `${first}\n * until 0.4: for` : `// until 0.4:  \n${first}`
  expect(unmarkedBranches({ path, text: [until, ...rest].join('\n') })).toEqual([])
})

test.each(["const text = 'the version before'", '// Older versions keep a higher one.', marked])(
  'fine: %j',
  (text) => {
    expect(unmarkedBranches({ path, text })).toEqual([])
  },
)
