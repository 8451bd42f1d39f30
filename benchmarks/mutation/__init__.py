"""Mutation testing: small faults are planted one at a time, and the tests that reach them should fail.

    python -m benchmarks.mutation --cover [TESTS …]        record which test runs which line, once
    python -m benchmarks.mutation --count 150 --seed 1     plant 150 faults and print who noticed

Nothing is ever written to the source tree: a worker forks for each fault and replaces the compiled function there.
"""
