import { CheckField } from '../../controls/field.tsx'
import { eraseLastSeen, hasCaches } from '../../offline/erasure.ts'
import { currentPreferences, setPreferences } from '../../preferences/preferences.ts'
import { signInWords } from '../../words/sign-in.ts'

/** Asks whether the device is another person's, where it could keep what was seen last. */
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

/** Takes the choice of a form, and erases what a former person has seen. */
export function beginOnDevice({ foreign }: { foreign?: string | undefined }): void {
  if (hasCaches()) setPreferences({ isOwnDevice: foreign === undefined })
  void eraseLastSeen()
}
