import { notFound, refused } from '@coffer/kit/rpc/errors'
import { afterEach, describe, expect, test } from '@jest/globals'
import { bySession, createGateway, type Gateway } from '../gateway.ts'

const aggregatorOn = { COFFER_AGGREGATOR_ENABLED: 'true' }

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

const send = (url: string) => gateway.send('GET', url, { as: bySession })

describe('GET /api/institutions/:institutionId', () => {
  const institution = {
    institutionId: 'ins_109508',
    name: 'First Bank',
    products: ['transactions'],
    countryCodes: ['US'],
    url: 'https://bank.example',
    statusJson: '{"item_logins":{"status":"HEALTHY"}}',
  }

  test('answers what the aggregator states, with the state of each product', async () => {
    gateway = await createGateway(
      { institutions: { getInstitution: () => ({ institution }) } },
      aggregatorOn,
    )
    const { status, body } = await send('/api/institutions/ins_109508')
    const { statusJson: _, ...shown } = institution
    expect(status).toBe(200)
    expect(body).toEqual({ ...shown, status: { item_logins: { status: 'HEALTHY' } } })
    expect(gateway.received.at(-1)?.message).toMatchObject({ institutionId: 'ins_109508' })
  })

  test('is 404 for an unknown one', async () => {
    const getInstitution = () => {
      throw notFound('institution')
    }
    gateway = await createGateway({ institutions: { getInstitution } }, aggregatorOn)
    const { status, body } = await send('/api/institutions/ins_1')
    expect([status, body]).toEqual([404, { error: 'institution: record does not exist' }])
  })

  test('is 500 with a text when the aggregator fails', async () => {
    const getInstitution = () => {
      throw refused('failed to read the institution: repeat it later', { status: 500 })
    }
    gateway = await createGateway({ institutions: { getInstitution } }, aggregatorOn)
    const { status, body } = await send('/api/institutions/ins_1')
    expect([status, body.error]).toEqual([500, expect.stringMatching(/^failed to read the inst/)])
  })
})

test('the OpenAPI document has the form of the ID', async () => {
  gateway = await createGateway({}, aggregatorOn)
  const { paths } = (await gateway.send('GET', '/api/openapi.json', { as: null })).body
  const [institutionId] = paths['/api/institutions/{institutionId}'].get.parameters
  expect(institutionId.schema.pattern).toBe('^ins_\\d{1,20}$')
})
