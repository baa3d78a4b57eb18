// A setting that cannot be used, as a sentence that begins with its name.
export class SettingsFault extends Error {
  override readonly name = "SettingsFault";
}
