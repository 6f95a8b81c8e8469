import { booting } from '@coffer/host/testing/booting'
import { createHousehold } from '@coffer/host/testing/household'
import { newId } from '@coffer/kit/values/id'
import { Code } from '@connectrpc/connect'
import { beforeAll, expect, test } from '@jest/globals'
import { ledger } from '../../src/service.ts'
import { problems } from '../outcomes.ts'
import { headers, importing, mapping } from './importing.ts'

const booted = booting([ledger])
let steps: ReturnType<typeof importing>

beforeAll(() => {
  steps = importing(booted)
})

test('mappings are found by the columns of a file, newest first', async () => {
  const home = await createHousehold(booted)
  const { mappings } = steps
  const first = await steps.createMapping(home)
  const second = await steps.createMapping(home, { merchant: undefined })
  await steps.createMapping(home, { headers: [...headers, 'More'] })
  const { signature } = await steps.createImport(home)
  const find = async (page: object) => {
    const request = { limit: 10, offset: 0, ...page }
    const found = (await mappings.listMappings(request, home.as)).mappings
    return found.map((one) => one.transactionImportMappingId)
  }
  expect(await find({ signature })).toEqual([second, first])
  expect(await find({ signature: 'other' })).toEqual([])
  expect(await find({})).toHaveLength(3)
  expect(await find({ signature, limit: 1, offset: 1 })).toEqual([first])
  expect(await find({ signature, before: second })).toEqual([first])
  expect(await find({ before: first })).toEqual([])
  const stranger = booted.as(newId('acct'))
  const request = { limit: 10, offset: 0 }
  expect((await mappings.listMappings(request, stranger)).mappings).toEqual([])
})

test('a deleted mapping leaves the list, but imports still use it', async () => {
  const home = await createHousehold(booted)
  const { mappings, imports } = steps
  const { transactionImportId } = await steps.previewed(home)
  const page = { limit: 10, offset: 0 }
  const [used] = (await mappings.listMappings(page, home.as)).mappings
  const { transactionImportMappingId = '' } = used ?? {}
  const remove = (as = home.as) => mappings.deleteMapping({ transactionImportMappingId }, as)
  const stranger = booted.as(newId('acct'))
  await expect(remove(stranger)).rejects.toMatchObject({ code: Code.NotFound })
  await remove()
  await expect(remove()).rejects.toMatchObject({ code: Code.NotFound })
  expect((await mappings.listMappings(page, home.as)).mappings).toEqual([])
  const { bankAccountId, as } = home
  const step = { bankAccountId, transactionImportId, status: 'pending-processing' }
  await imports.updateImport(step, as)
  const { status } = await steps.reached(home, transactionImportId, ['complete', 'failed'])
  expect(status).toBe('complete')
})

test('mappings are stored unchanged', async () => {
  const home = await createHousehold(booted)
  await steps.createMapping(home)
  const page = { limit: 10, offset: 0 }
  const { mappings: found } = await steps.mappings.listMappings(page, home.as)
  expect(found[0]?.mapping).toMatchObject(mapping)
})

test('invalid mappings are refused by field', async () => {
  const home = await createHousehold(booted)
  const make = (changes: object) => problems(steps.createMapping(home, changes))
  expect(await make({ memo: { name: 'Nope' }, headers: [...headers, 'Amount'] })).toEqual({
    mapping: {
      headers: 'must be unique',
      memo: 'must be one of the headers by name, or derivedKind rowNumber, and not both',
    },
  })
  expect(await make({ id: undefined })).toEqual({ mapping: 'is not a mapping' })
  expect(await make({ balance: { kind: 'guess', fields: [] } })).toEqual({
    mapping: 'is not a mapping',
  })
})
