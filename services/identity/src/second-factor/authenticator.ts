import { z } from 'zod'

/** The authenticator of a login; its seed is sealed for the login's ID. */
export const Authenticator = z.object({
  keyId: z.string(),
  dataKey: z.instanceof(Buffer),
  ciphertext: z.instanceof(Buffer),
  isEnabled: z.boolean(),
  /** The time step of the last code accepted; 0 before the first. */
  lastStep: z.bigint(),
})
export type Authenticator = z.infer<typeof Authenticator>
