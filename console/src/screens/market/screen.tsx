export default function Screen() {
  return <h1>market</h1>;
}
