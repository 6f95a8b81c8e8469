import { values } from '@coffer/proto/values'
import { z } from 'zod'

export const LinkType = z.enum(values['Link.linkType'])
export type LinkType = z.infer<typeof LinkType>

/** A connection to one financial institution; it owns bank accounts (docs/links.md#links). */
export const Link = z.object({
  accountId: z.string(),
  linkId: z.string(),
  linkType: LinkType,
  feedLinkId: z.string().nullable(),
  institutionName: z.string(),
  description: z.string().nullable(),
  createdAt: z.date(),
  createdBy: z.string(),
  updatedAt: z.date(),
  deletedAt: z.date().nullable(),
})
export type Link = z.infer<typeof Link>

export const LinkKey = Link.pick({ accountId: true, linkId: true })
export type LinkKey = z.infer<typeof LinkKey>
