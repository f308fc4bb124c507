/** YAML files are bundled as text (wrangler.toml, rule `Text`). */
declare module '*.yaml' {
  const text: string;
  export default text;
}
