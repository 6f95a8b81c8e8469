/** The used part of the Trusted Types API, which some browsers lack. */
interface TrustedTypes {
  createPolicy: (
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ) => { createScriptURL: (url: string) => string }
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
const policy = trustedTypes?.createPolicy('coffer', { createScriptURL: requireOwn })

/** Returns the URL of a worker script of this server as a Trusted Type. */
export function ownScript(url: string): string {
  return policy?.createScriptURL(url) ?? url
}

function requireOwn(url: string): string {
  if (new URL(url, location.href).origin === location.origin) return url
  throw new TypeError(`A script of another origin: ${url}`)
}
