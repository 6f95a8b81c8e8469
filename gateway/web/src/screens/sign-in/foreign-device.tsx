import { CheckField } from '../../controls/field.tsx'
import { eraseLastSeen, hasCaches } from '../../offline/erasure.ts'
import { currentPreferences, setPreferences } from '../../preferences/preferences.ts'
import { signInWords } from '../../words/sign-in.ts'

/** Asks whether the device belongs to another person: then it keeps nothing, and signs out soon. */
export function ForeignDevice() {
  return (
    <CheckField
      label={signInWords.foreignDevice}
      name="foreign"
      defaultChecked={currentPreferences().isForeign === true}
    />
  )
}

/** Stores the choice of the form, and erases the stored answers of the previous user. */
export function beginOnDevice({ foreign }: { foreign?: string | undefined }): void {
  const isForeign = foreign !== undefined
  const former = currentPreferences()
  // On an own device the choice of the settings stays.
  const mayKeep = former.isOwnDevice !== false || former.isForeign === true
  setPreferences({ isForeign, ...(hasCaches() ? { isOwnDevice: !isForeign && mayKeep } : {}) })
  void eraseLastSeen()
}
