import { expect, test } from '@jest/globals'
import { parseModule } from './modules.ts'
import {
  arrowsInCircles,
  crowdedFolders,
  importCircles,
  pictureFaults,
  roomArrows,
} from './rooms.ts'

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
  expect(crowdedFolders(folder('services/ledger/migrations', 26))).toEqual([])
  expect(crowdedFolders([...folder('test/a', 26), ...folder('test/a/b', 2)])).toEqual([
    'test/a: 26 files',
  ])
})

const directory = 'services/ledger'

function arrows(files: Record<string, string>) {
  const modules = Object.entries(files).map(([name, imported]) =>
    parseModule({ path: `${directory}/src/${name}.ts`, text: `import { a } from '${imported}'` }),
  )
  return roomArrows(modules, directory)
}

function roomCircles(files: Record<string, string>) {
  return arrowsInCircles(arrows(files)).map(({ from, to }) => `${from} ${to}`)
}

test('rooms that import each other are a circle, though no file is in one', () => {
  expect(
    roomCircles({
      'money/save': '../accounts/bank-account.ts',
      'accounts/bank-account.rpc': '../money/writer.service.ts',
      'imports/upload.rpc': '../money/writer.service.ts',
    }),
  ).toEqual(['money accounts', 'accounts money'])
})

test('a circle of rooms may pass through a file of src and through a folder in a room', () => {
  expect(
    roomCircles({
      'imports/formats/ofx': '../../deps.ts',
      deps: './storage/disk.ts',
      'storage/disk': '../imports/upload.ts',
    }),
  ).toEqual(['imports deps.ts', 'deps.ts storage', 'storage imports'])
})

test('rooms that import downwards, tests and other packages make no circle', () => {
  expect(
    roomCircles({
      'accounts/bank-account.rpc': '../money/writer.service.ts',
      'money/save': '../book/envelope.ts',
      'money/save.test': '../accounts/bank-account.rpc.ts',
      'book/envelope': '@coffer/kit/values/id',
      service: './accounts/bank-account.rpc.ts',
    }),
  ).toEqual([])
})

const imports = {
  'accounts/link.rpc': '../money/writer.service.ts',
  'money/save': '../book/envelope.ts',
  'accounts/link': '../book/link.ts',
}

test.each([
  ['a path of arrows stands for an import', 'accounts --> money --> book', []],
  [
    'several targets',
    'accounts["links (all)<br>and more"] -- words --> money & book',
    ['money book'],
  ],
  ['several sources', 'accounts & money --> book', ['accounts money']],
  [
    'dotted arrows are no imports',
    'accounts --> money\nmoney -.-> book',
    ['money book', 'accounts book'],
  ],
  ['arrows to what is no room', 'accounts --> money --> book\nbook --> tables[(Postgres)]', []],
])('picture: %s', (_, picture, missing) => {
  const text = `# ledger\n\n\`\`\`mermaid\nflowchart LR\n${picture}\n\`\`\`\n`
  const faults = pictureFaults({ path: 'README.md', text }, arrows(imports))
  const names = faults.map((fault) => /no (\S+) --> (\S+)/.exec(fault)?.slice(1).join(' '))
  expect(names).toEqual(missing)
})

test('an arrow of the picture without an import is a fault', () => {
  const text = '```mermaid\nflowchart LR\naccounts --> money --> book\nbook --> accounts\n```'
  expect(pictureFaults({ path: 'README.md', text }, arrows(imports))).toEqual([
    'README.md: book does not import accounts',
  ])
})
