import { expect, test } from '@jest/globals'
import { parseModule } from './modules.ts'
import { crowdedFolders, importCircles } from './rooms.ts'

function circles(files: Record<string, string>) {
  return importCircles(
    Object.entries(files).map(([name, text]) =>
      parseModule({ path: `services/ledger/src/${name}.ts`, text }),
    ),
  )
}

test('a circle of imports is found, through types and other files', () => {
  const found = circles({
    service: "import { routes } from './money/routes.ts'",
    'money/routes': "import { rule } from './rule.ts'",
    'money/rule': "import type { Deps } from '../service.ts'",
    'money/amount': "import { rule } from './rule.ts'",
  })
  expect(found).toEqual([
    [
      'services/ledger/src/money/routes.ts',
      'services/ledger/src/money/rule.ts',
      'services/ledger/src/service.ts',
    ],
  ])
})

test('files that share what they import are no circle', () => {
  const shared = "import type { Deps } from './deps.ts'"
  expect(circles({ deps: '', one: `${shared}\nimport './two.ts'`, two: shared })).toEqual([])
})

test('a folder of 26 files is crowded, but for the data of tests', () => {
  const folder = (path: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({ path: `${path}/${index}.ts` }))
  expect(crowdedFolders(folder('services/ledger/src', 25))).toEqual([])
  expect(crowdedFolders(folder('test/data', 26))).toEqual([])
  expect(crowdedFolders([...folder('test/a', 26), ...folder('test/a/b', 2)])).toEqual([
    'test/a: 26 files',
  ])
})
