import { describe, expect, test } from '@jest/globals'
import { aLink } from '../../test/imports/samples.ts'
import { changeLink, createLink, deleteLink, detachLink } from './link-change.ts'

const NOW = new Date('2026-02-01T12:00:00Z')
const BY = { accountId: 'acct_1', createdBy: 'user_1', now: NOW }

describe('links', () => {
  test('are manual unless they stand on a feed link', () => {
    const body = { linkId: 'link_1', institutionName: 'First Bank' }
    expect(createLink(body, BY)).toEqual(aLink({ createdAt: NOW, updatedAt: NOW }))
    expect(createLink({ ...body, feedLinkId: null }, BY).linkType).toBe('manual')
    expect(createLink({ ...body, feedLinkId: 'lfx_1' }, BY)).toMatchObject({
      linkType: 'feed',
      feedLinkId: 'lfx_1',
    })
  })

  // Null clears the description, an empty text is kept, an empty PATCH changes only `updatedAt`.
  test.each([
    { patch: {}, description: 'note' },
    { patch: { description: null }, description: null },
    { patch: { description: '' }, description: '' },
  ])('change by $patch', ({ patch, description }) => {
    const changed = changeLink(aLink({ description: 'note' }), patch, NOW)
    expect(changed).toEqual(aLink({ description, updatedAt: NOW }))
  })

  test('become manual, and keep their names', () => {
    const link = aLink({ linkType: 'aggregator', description: 'note' })
    expect(detachLink(link, NOW)).toEqual(aLink({ description: 'note', updatedAt: NOW }))
  })

  test('are deleted once and do not change afterwards', () => {
    const deleted = deleteLink(aLink(), NOW)
    expect(deleted).toEqual(aLink({ deletedAt: NOW, updatedAt: NOW }))
    expect(() => deleteLink(deleted, NOW)).toThrow('has been deleted')
    expect(() => changeLink(deleted, {}, NOW)).toThrow('has been deleted')
  })
})
