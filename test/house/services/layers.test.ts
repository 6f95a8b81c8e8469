import { expect, test } from '@jest/globals'
import { rpcFaults } from './layers.ts'

const path = 'services/ledger/src/links/link.rpc.ts'

test.each([
  'export function links(deps: Deps): ServiceImpl<typeof LinkService> { return {} }',
  "export function links(): Pick<ServiceImpl<typeof A>, 'getLink'> { return {} }",
  'export interface Deps { database: Database }\nexport type Key = string',
  'async function create(): Promise<void> {}',
])('fine in a file of RPCs: %s', (text) => {
  expect(rpcFaults({ path, text })).toEqual([])
})

test.each([
  ['export async function create(): Promise<void> {}', 'create returns no ServiceImpl'],
  ['export function create() { return {} }', 'create returns no ServiceImpl'],
  ['export const max = 1', 'exports a value that is no function'],
])('refused there, and fine elsewhere: %s', (text, fault) => {
  expect(rpcFaults({ path, text })).toEqual([`${path}: ${fault}`])
  expect(rpcFaults({ path: path.replace('.rpc', '.service'), text })).toEqual([])
})
