import { readFile } from 'node:fs/promises'
import { SettingsError } from '@coffer/kit/service/config'
import { Decrypter, Encrypter } from 'age-encryption'

/** Options that encrypt a backup, named as in the program `age`. */
export interface EncryptionOptions {
  recipient?: string[]
  passphraseFile?: string
}

/** Options that decrypt an archive. */
export interface DecryptionOptions {
  identity?: string
  passphraseFile?: string
}

/**
 * Returns the encryption for recipients (`age1…`) or a passphrase.
 * @throws {SettingsError} when the options name neither or both, or cannot be used
 */
export async function createEncrypter(options: EncryptionOptions): Promise<Encrypter> {
  const { recipient = [], passphraseFile } = options
  if ((recipient.length === 0) === (passphraseFile === undefined)) {
    throw new SettingsError('name either --recipient (age1…) or --passphrase-file')
  }
  const encrypter = new Encrypter()
  if (passphraseFile !== undefined) encrypter.setPassphrase(await passphraseIn(passphraseFile))
  for (const one of recipient) {
    try {
      encrypter.addRecipient(one)
    } catch (error) {
      throw new SettingsError(`--recipient: ${one}: ${(error as Error).message}`)
    }
  }
  return encrypter
}

/**
 * Returns the decryption by the identities in a file (a line `AGE-SECRET-KEY-…` each; comments
 * begin with #) or by a passphrase.
 * @throws {SettingsError} when the options name neither or both, or cannot be used
 */
export async function createDecrypter(options: DecryptionOptions): Promise<Decrypter> {
  const { identity, passphraseFile } = options
  if ((identity === undefined) === (passphraseFile === undefined)) {
    throw new SettingsError('name either --identity or --passphrase-file')
  }
  const decrypter = new Decrypter()
  if (passphraseFile !== undefined) decrypter.addPassphrase(await passphraseIn(passphraseFile))
  if (identity === undefined) return decrypter
  const lines = (await textOf('--identity', identity)).split('\n').map((line) => line.trim())
  const keys = lines.filter((line) => line !== '' && !line.startsWith('#'))
  if (keys.length === 0) throw new SettingsError(`--identity: ${identity} has no AGE-SECRET-KEY-…`)
  for (const key of keys) {
    try {
      decrypter.addIdentity(key)
    } catch {
      throw new SettingsError(`--identity: ${identity} has a line that is no AGE-SECRET-KEY-…`)
    }
  }
  return decrypter
}

/** Returns the passphrase in a file: its first line. Throws SettingsError if that is empty. */
async function passphraseIn(file: string): Promise<string> {
  const [passphrase = ''] = (await textOf('--passphrase-file', file)).split(/\r?\n/, 1)
  if (passphrase === '') throw new SettingsError(`--passphrase-file: ${file} is empty`)
  return passphrase
}

async function textOf(option: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new SettingsError(`${option}: ${(error as Error).message}`)
  }
}
