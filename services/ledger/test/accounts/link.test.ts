import { booting } from '@coffer/host/testing/booting'
import { createHousehold } from '@coffer/host/testing/household'
import { headers } from '@coffer/kit/rpc/rpc'
import { newId } from '@coffer/kit/values/id'
import { LinkService } from '@coffer/proto/ledger/v1/link'
import { Code } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { ledger } from '../../src/service.ts'

const booted = booting([ledger])

/** Returns a new account with a client for its links. */
function user() {
  const accountId = newId('acct')
  const links = booted.client('ledger', LinkService)
  return { accountId, as: booted.as(accountId, { userId: 'user_1' }), links }
}

describe('links', () => {
  test('are listed by ID, without deleted ones', async () => {
    const { as, links } = user()
    const ids: string[] = []
    for (const institutionName of ['Zebra', 'Alpha', 'Middle']) {
      const { link } = await links.createLink({ institutionName }, as)
      ids.push(link?.linkId ?? '')
    }
    await links.deleteLink({ linkId: ids[1] ?? '' }, as)
    const listed = (await links.listLinks({}, as)).links
    expect(listed.map(({ linkId }) => linkId)).toEqual([ids[0], ids[2]])
  })

  test('are created manual, or of a feed link that no other link has', async () => {
    const { as, links, accountId } = user()
    const manual = await links.createLink({ institutionName: 'Bank', description: '' }, as)
    expect(manual.link).toMatchObject({ linkType: 'manual', description: '', createdBy: 'user_1' })
    expect(manual.link?.updatedAt).toEqual(manual.link?.createdAt)
    const feed = { institutionName: 'Feed', feedLinkId: newId('lfx') }
    const { link } = await links.createLink(feed, as)
    expect(link).toMatchObject({ linkType: 'feed', feedLinkId: feed.feedLinkId })
    await expect(links.createLink(feed, as)).rejects.toMatchObject({ code: Code.AlreadyExists })
    expect(await booted.changes('ledger', accountId)).toEqual([
      'coffer.ledger.v1.LinkCreated',
      'coffer.ledger.v1.LinkCreated',
    ])
  })

  test('change the named fields only, and null clears the description', async () => {
    const { as, links } = user()
    const { link } = await links.createLink({ institutionName: 'Bank', description: 'note' }, as)
    const linkId = link?.linkId ?? ''
    const renamed = await links.updateLink(
      { linkId, institutionName: 'Other', updateMask: { paths: ['institution_name'] } },
      as,
    )
    expect(renamed.link).toMatchObject({ institutionName: 'Other', description: 'note' })
    await links.updateLink({ linkId, updateMask: { paths: ['description'] } }, as)
    const read = (await links.getLink({ linkId }, as)).link
    expect(read?.institutionName).toBe('Other')
    expect(read?.description).toBeUndefined()
  })

  test('are readable once deleted, and refuse a change and a second deletion', async () => {
    const { as, links, accountId } = user()
    const { link } = await links.createLink({ institutionName: 'Bank' }, as)
    const linkId = link?.linkId ?? ''
    await links.deleteLink({ linkId }, as)
    expect((await links.getLink({ linkId }, as)).link?.deletedAt).toBeDefined()
    const refused = { code: Code.FailedPrecondition }
    await expect(links.deleteLink({ linkId }, as)).rejects.toMatchObject(refused)
    await expect(links.updateLink({ linkId, updateMask: { paths: [] } }, as)).rejects.toMatchObject(
      refused,
    )
    expect(await booted.changes('ledger', accountId)).toEqual([
      'coffer.ledger.v1.LinkCreated',
      'coffer.ledger.v1.LinkDeleted',
    ])
  })

  test('are not found in another account', async () => {
    const { links, as, linkId } = await createHousehold(booted)
    const stranger = booted.as(newId('acct'))
    const missing = { code: Code.NotFound }
    await expect(links.getLink({ linkId }, stranger)).rejects.toMatchObject(missing)
    await expect(links.deleteLink({ linkId }, stranger)).rejects.toMatchObject(missing)
    await expect(links.updateLink({ linkId }, stranger)).rejects.toMatchObject(missing)
    expect((await links.getLink({ linkId }, as)).link?.deletedAt).toBeUndefined()
  })

  test('are created once under one Idempotency-Key', async () => {
    const { as, links } = user()
    const keyed = { ...as, headers: { [headers.idempotencyKey]: 'k' } }
    const create = () => links.createLink({ institutionName: 'Bank' }, keyed)
    const replies = await Promise.all([create(), create(), create()])
    expect(new Set(replies.map(({ link }) => link?.linkId)).size).toBe(1)
    expect((await links.listLinks({}, as)).links).toHaveLength(1)
  })
})
