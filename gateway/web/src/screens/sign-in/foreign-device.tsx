import { CheckField } from '../../controls/field.tsx'
import { eraseLastSeen, hasCaches } from '../../offline/erasure.ts'
import { currentPreferences, setPreferences } from '../../preferences/preferences.ts'
import { signInWords } from '../../words/sign-in.ts'

/** Asks whether the device belongs to someone else; shown only if it could store answers. */
export function ForeignDevice() {
  if (!hasCaches()) return null
  return (
    <CheckField
      label={signInWords.foreignDevice}
      name="foreign"
      defaultChecked={currentPreferences().isOwnDevice === false}
    />
  )
}

/** Stores the choice of the form, and erases the stored answers of the previous user. */
export function beginOnDevice({ foreign }: { foreign?: string | undefined }): void {
  if (hasCaches()) setPreferences({ isOwnDevice: foreign === undefined })
  void eraseLastSeen()
}
