import { expect, test } from '@jest/globals'
import { parseModule } from '../modules.ts'
import { callFaults, eventFaults, partsOf } from './calls.ts'

const texts: Record<string, string> = {
  'gateway/src/routes.ts': "mesh.client('budgeting', PlanService)\nmesh.client('ledger', Links)",
  'services/ledger/src/links.ts': "import { ask } from '@coffer/kit/accounts/ask'\nask()",
  'services/ledger/src/a.test.ts': "mesh.client('gateway', Links)",
  'services/kit/src/accounts/ask.ts': "import { one } from './one.ts'\nexport const ask = one",
  'services/kit/src/accounts/one.ts': "export const one = () => mesh.client('identity', Accounts)",
  'services/budgeting/src/a.consumer.ts': 'on(EnvelopeClosedSchema, handle)',
  'services/identity/src/service.ts': 'export const identity = {}',
}
const files = Object.entries(texts).map(([path, text]) => ({ path, text }))
const parts = partsOf(files, files.map(parseModule))

test('the picture has the calls of all parts, those of imported libraries too', () => {
  const picture = (lines: string) => ({
    path: 'README.md',
    text: `\`\`\`mermaid\nflowchart LR\n${lines}\n\`\`\``,
  })
  const right = 'gateway --> budgeting & ledger\nledger --> identity\nledger -.-> budgeting'
  expect(callFaults(picture(right), parts)).toEqual([])
  expect(callFaults(picture('gateway --> identity & ledger\nledger --> identity'), parts)).toEqual([
    'README.md: no call gateway --> identity',
    'README.md: lacks gateway --> budgeting',
  ])
})

test('the table of events has each event, and the services that handle it', () => {
  const proto = {
    path: 'proto/coffer/ledger/v1/events.proto',
    text: 'message EnvelopeClosed {\n}\nmessage LinkDeleted {\n}\nmessage EnvelopeChanged {\n}',
  }
  const page = (...lines: string[]) => ({
    path: 'docs/events.md',
    text: ['`EnvelopeChanged` is of an earlier version', ...lines].join('\n'),
  })
  const closed = '| `EnvelopeClosed` | ledger | closed | budgeting: deletes |'
  const deleted = '| `LinkCreated`, `LinkDeleted` | ledger | deleted | nothing |'
  expect(eventFaults(page(closed, deleted), [proto], parts)).toEqual([])
  const wrong = page('| `EnvelopeClosed` | ledger | by budgeting | ledger: cleans up |')
  expect(eventFaults(wrong, [proto], parts)).toEqual([
    'docs/events.md: ledger does not handle EnvelopeClosed',
    'docs/events.md: budgeting is not in the row of EnvelopeClosed',
    'docs/events.md: no row of LinkDeleted',
  ])
})
