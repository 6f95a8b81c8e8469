import { z } from 'zod'

/** The authenticator of a login. The seed is sealed with the login's ID as associated data. */
export const Authenticator = z.object({
  keyId: z.string(),
  dataKey: z.instanceof(Buffer),
  ciphertext: z.instanceof(Buffer),
  isEnabled: z.boolean(),
  /** Time step (RFC 6238) of the last accepted code; 0 before the first. */
  lastStep: z.bigint(),
})
export type Authenticator = z.infer<typeof Authenticator>
