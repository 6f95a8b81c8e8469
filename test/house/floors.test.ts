import { expect, test } from '@jest/globals'
import { arrowsInCircles, pictureFaults, roomArrows } from './floors.ts'
import { parseModule } from './modules.ts'

const directory = 'services/ledger'

function arrows(files: Record<string, string>) {
  const modules = Object.entries(files).map(([name, imported]) =>
    parseModule({ path: `${directory}/src/${name}.ts`, text: `import { a } from '${imported}'` }),
  )
  return roomArrows(modules, directory)
}

function circles(files: Record<string, string>) {
  return arrowsInCircles(arrows(files)).map(({ from, to }) => `${from} ${to}`)
}

test('rooms that import each other are a circle, though no file is in one', () => {
  expect(
    circles({
      'money/save': '../accounts/bank-account.ts',
      'accounts/bank-account.rpc': '../money/writer.service.ts',
      'imports/upload.rpc': '../money/writer.service.ts',
    }),
  ).toEqual(['money accounts', 'accounts money'])
})

test('a circle of rooms may pass through a file of src and through a folder in a room', () => {
  expect(
    circles({
      'imports/formats/ofx': '../../deps.ts',
      deps: './storage/disk.ts',
      'storage/disk': '../imports/upload.ts',
    }),
  ).toEqual(['imports deps.ts', 'deps.ts storage', 'storage imports'])
})

test('rooms that import downwards, tests and other packages make no circle', () => {
  expect(
    circles({
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
  ['several targets', 'accounts["links (all)<br>and more"] -- words --> money & book', ['money book']],
  ['several sources', 'accounts & money --> book', ['accounts money']],
  ['dotted arrows are no imports', 'accounts --> money\nmoney -.-> book', ['money book', 'accounts book']],
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
