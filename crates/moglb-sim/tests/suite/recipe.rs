//! Checks that the blocks of the page `howto-add-policy.md` are the example, in order.

const PAGE: &str = include_str!("../../../../docs/howto-add-policy.md");
const EXAMPLE: &str = include_str!("../../examples/custom_policy.rs");

#[test]
fn the_blocks_of_the_recipe_are_the_example() {
    let blocks: Vec<&str> =
        PAGE.split("```rust\n").skip(1).map(|rest| rest.split("\n```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 5, "one block per step");
    let code =
        EXAMPLE.lines().skip_while(|line| line.starts_with("//!") || line.is_empty()).collect::<Vec<_>>();
    assert_eq!(blocks.join("\n\n"), code.join("\n"));
}
